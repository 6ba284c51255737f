EXTRA_DIST += docs/install.md docs/configuration.md
EXTRA_DIST += docs/api.md docs/openapi.yaml docs/request.md docs/add-a-route.md
