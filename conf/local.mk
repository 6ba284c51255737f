# parts of conf/
