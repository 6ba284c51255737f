# parts of www/
