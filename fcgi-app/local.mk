# parts of fcgi-app/
