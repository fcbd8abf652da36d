"""An address becomes lines at the pinned commit, with evidence."""
