lib_liblamplighter_a_SOURCES += \
	lib/auth/caller.c lib/auth/caller.h \
	lib/auth/csrf.c lib/auth/csrf.h \
	lib/auth/identity.c lib/auth/identity.h \
	lib/auth/saved.c lib/auth/saved.h \
	lib/auth/owner.h \
	lib/auth/permissions.def \
	lib/auth/policy.c lib/auth/policy.h \
	lib/auth/user_token.c lib/auth/user_token.h
