/* SPDX-License-Identifier: MIT */
/*
 * The floor for short requests: the smallest possible libfcgi responder,
 * pre-threaded, saying hello. What lighttpd and libfcgi cost by themselves.
 *
 *   hello SOCKET
 */
#include <fcgiapp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4

static void *serve(void *sock)
{
	FCGX_Request r;

	FCGX_InitRequest(&r, *(int *)sock, 0);
	while (FCGX_Accept_r(&r) >= 0) {
		FCGX_PutS("Content-Type: application/json\r\n\r\n"
			  "{\"hello\":\"world\"}", r.out);
		FCGX_Finish_r(&r);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int sock;

	if (argc != 2 || FCGX_Init() != 0)
		return 2;
	sock = FCGX_OpenSocket(argv[1], 4096);
	if (sock < 0)
		return 1;
	for (int i = 1; i < THREADS; i++)
		if (pthread_create(&thread, NULL, serve, &sock) != 0)
			return 1;
	serve(&sock);
	return 0;
}
