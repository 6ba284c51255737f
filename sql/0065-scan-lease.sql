-- Only one process at a time reads the images of a file: a service is paid per page.

ALTER TABLE stored_file
  ADD COLUMN IF NOT EXISTS scan_until_us BIGINT NULL
  COMMENT 'us since 1970 UTC: until when only the process that set it reads its images; NULL: none does' AFTER unread_page;
