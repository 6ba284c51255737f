-- What the processes have counted (lib/metric/metric.def).

CREATE TABLE IF NOT EXISTS metric (
  name  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of a row of metric.def',
  cell  VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'its labels with their values, as GET /metrics prints them',
  value BIGINT       NOT NULL COMMENT 'sum of all processes since the installation began; of the sum of a histogram: ms',
  PRIMARY KEY (name, cell)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='counters of the installation';

CREATE TABLE IF NOT EXISTS metric_gauge (
  process    BINARY(16)   NOT NULL COMMENT 'UUIDv7 that a process makes for itself when it starts',
  name       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of a row of metric.def',
  cell       VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as metric.cell',
  value      BIGINT       NOT NULL COMMENT 'of that process',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC; written again each minute, so an old one is of a process that died',
  PRIMARY KEY (process, name, cell),
  KEY metric_gauge_age (created_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what the processes have now; expire';
