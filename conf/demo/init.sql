-- SPDX-License-Identifier: MIT
-- Run by mariadbd before its socket opens, at every start: one statement a
-- line. lamplighter owns the chat's own database, intranet_owner loads the
-- sample data, intranet_reader is what datasets are read with, intranet_desk is
-- what the tool create_ticket writes with.
CREATE DATABASE IF NOT EXISTS lamplighter CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE DATABASE IF NOT EXISTS intranet CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;
CREATE OR REPLACE USER lamplighter@localhost IDENTIFIED BY '@PW_APP@';
GRANT ALL PRIVILEGES ON lamplighter.* TO lamplighter@localhost;
CREATE OR REPLACE USER intranet_owner@localhost IDENTIFIED BY '@PW_OWNER@';
GRANT ALL PRIVILEGES ON intranet.* TO intranet_owner@localhost;
CREATE OR REPLACE USER intranet_reader@localhost IDENTIFIED BY '@PW_READER@' WITH MAX_STATEMENT_TIME 10;
GRANT SELECT ON intranet.* TO intranet_reader@localhost;
CREATE OR REPLACE USER intranet_desk@localhost IDENTIFIED BY '@PW_DESK@' WITH MAX_STATEMENT_TIME 10;
GRANT SELECT, INSERT ON intranet.* TO intranet_desk@localhost;
ALTER USER root@localhost IDENTIFIED VIA unix_socket;
DELETE FROM mysql.global_priv WHERE User='root' AND Host<>'localhost';
FLUSH PRIVILEGES;
