EXTRA_DIST += docs/install.md docs/configuration.md
