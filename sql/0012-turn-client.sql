-- What a request says of its page has come to hold its wish for the web too.

ALTER TABLE turn
  MODIFY COLUMN client MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
  COMMENT 'JSON {tools, webSearch}: what its request said of the page that it may call tools of, and of the web; NULL: nothing';
