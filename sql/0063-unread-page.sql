-- Pages that are images, whose text is recognised when it is needed.

ALTER TABLE stored_file
  ADD COLUMN IF NOT EXISTS unread_page BIGINT NULL
  COMMENT 'first page, from 1, that is an image whose text was not recognised; NULL: none' AFTER text_chars;

ALTER TABLE attachment
  ADD COLUMN IF NOT EXISTS unread_page BIGINT NULL
  COMMENT 'as stored_file has it' AFTER text_chars;

-- Those that are there already.
UPDATE stored_file SET unread_page = 1
  WHERE unread_page IS NULL AND hash IS NOT NULL AND text IS NULL AND (media_type IN
      ('image/png', 'image/jpeg', 'image/tiff', 'image/webp', 'image/gif', 'image/bmp', 'image/x-ms-bmp')
    OR problem = 'The file contains no text: its pages are images, as in a scan.');

UPDATE attachment SET unread_page = 1
  WHERE unread_page IS NULL AND state = 'ready' AND text_chars IS NULL AND (media_type IN
      ('image/png', 'image/jpeg', 'image/tiff', 'image/webp', 'image/gif', 'image/bmp', 'image/x-ms-bmp')
    OR problem = 'The file contains no text: its pages are images, as in a scan.');
