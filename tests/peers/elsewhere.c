/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the programs under test, so that examples of the docs can be
 * run as they are written: their hosts and programs are somewhere else than on
 * this machine. What is not listed stays as it is.
 *
 *   ELSEWHERE_HOSTS     "name=address=port …": the name has this address, and
 *                       a connection to the address goes to the port here
 *   ELSEWHERE_PROGRAMS  "path=path …": instead of the first the second is run
 *
 * cc -shared -fPIC -o elsewhere.so elsewhere.c
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX = 16, TEXT = 256 };

static struct host {
	char name[TEXT];
	struct in_addr address;
	in_port_t port;			/* here, network order */
} hosts[MAX];

static struct program {
	char from[TEXT], to[TEXT];
} programs[MAX];

static int n_hosts, n_programs;

/* Those of the C library; found before there is a second thread or a fork. */
static struct {
	int (*getaddrinfo)(const char *, const char *, const struct addrinfo *,
			   struct addrinfo **);
	int (*connect)(int, const struct sockaddr *, socklen_t);
	int (*getpeername)(int, struct sockaddr *, socklen_t *);
	int (*execve)(const char *, char *const[], char *const[]);
} real;

__attribute__((constructor)) static void read_environment(void)
{
	const char *p = getenv("ELSEWHERE_HOSTS");
	char address[64];
	int port, used;

	*(void **)&real.getaddrinfo = dlsym(RTLD_NEXT, "getaddrinfo");
	*(void **)&real.connect = dlsym(RTLD_NEXT, "connect");
	*(void **)&real.getpeername = dlsym(RTLD_NEXT, "getpeername");
	*(void **)&real.execve = dlsym(RTLD_NEXT, "execve");
	while (p && n_hosts < MAX &&
	       sscanf(p, " %255[^= ]=%63[^= ]=%d%n", hosts[n_hosts].name,
		      address, &port, &used) == 3) {
		inet_pton(AF_INET, address, &hosts[n_hosts].address);
		hosts[n_hosts++].port = htons((in_port_t)port);
		p += used;
	}
	p = getenv("ELSEWHERE_PROGRAMS");
	while (p && n_programs < MAX &&
	       sscanf(p, " %255[^= ]=%255[^= ]%n", programs[n_programs].from,
		      programs[n_programs].to, &used) == 2) {
		n_programs++;
		p += used;
	}
}

int getaddrinfo(const char *name, const char *service,
		const struct addrinfo *hints, struct addrinfo **out)
{
	char address[INET_ADDRSTRLEN];

	for (int i = 0; name && i < n_hosts; i++)
		if (strcmp(name, hosts[i].name) == 0)
			name = inet_ntop(AF_INET, &hosts[i].address, address,
					 sizeof(address));
	return real.getaddrinfo(name, service, hints, out);
}

int connect(int fd, const struct sockaddr *to, socklen_t n)
{
	struct sockaddr_in here;

	if (to->sa_family != AF_INET)
		return real.connect(fd, to, n);
	memcpy(&here, to, sizeof(here));
	for (int i = 0; i < n_hosts; i++)
		if (here.sin_addr.s_addr == hosts[i].address.s_addr) {
			here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
			here.sin_port = hosts[i].port;
			break;
		}
	return real.connect(fd, (struct sockaddr *)&here, sizeof(here));
}

/* libcurl asks for the address again, and our guard with it. */
int getpeername(int fd, struct sockaddr *sa, socklen_t *n)
{
	struct sockaddr_in there;
	int rc;

	rc = real.getpeername(fd, sa, n);
	if (rc < 0 || sa->sa_family != AF_INET)
		return rc;
	memcpy(&there, sa, sizeof(there));
	for (int i = 0; i < n_hosts; i++)
		if (there.sin_addr.s_addr == htonl(INADDR_LOOPBACK) &&
		    there.sin_port == hosts[i].port) {
			there.sin_addr = hosts[i].address;
			memcpy(sa, &there, sizeof(there));
			break;
		}
	return rc;
}

/* Between fork and exec: nothing but system calls. */
int execve(const char *path, char *const argv[], char *const env[])
{
	for (int i = 0; i < n_programs; i++)
		if (strcmp(path, programs[i].from) == 0)
			return real.execve(programs[i].to, argv, env);
	return real.execve(path, argv, env);
}
