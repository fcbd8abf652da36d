// Loads a package and runs it. Its arguments: the package, and what shall be wrong with the inputs.
#include <ATen/ops/from_blob.h>
#include <dlfcn.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <iostream>

int main(int, char** argument) {
  float x[] = {1, 2, 3, 4, 5, 6, 7, 8}, shift[] = {100, 200, 300, 400};
  double wide[] = {100, 200, 300, 400};
  const std::string wrong = argument[2];
  std::cout << (dlsym(RTLD_DEFAULT, "Py_IsInitialized") ? "Python" : "no Python") << ", ";

  torch::inductor::AOTIModelPackageLoader loader(argument[1]);
  try {
    auto scores = loader.run(
        {at::from_blob(x, {2, wrong == "columns" ? 4 : 3}),
         wrong == "dtype" ? at::from_blob(wide, {2, 2}, at::kDouble) : at::from_blob(shift, {2, 2})});
    for (int i = 0; i < 4; ++i) {
      std::cout << scores[0].data_ptr<float>()[i] << " ";
    }
  } catch (const std::exception& error) {
    const std::string what = error.what();
    std::cout << "refused: " << what.substr(0, what.find('\n'));
  }
}
