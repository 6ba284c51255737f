-- A service with prices (input_price, output_price) has a cost for each record.
ALTER TABLE usage_record
  MODIFY COLUMN cost DOUBLE NULL COMMENT 'of the counters at the prices of the service, in prices.currency; without prices what the provider says, in its own currency; NULL: unknown';
