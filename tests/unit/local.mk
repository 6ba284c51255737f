# parts of tests/unit/
