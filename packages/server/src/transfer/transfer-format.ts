/** What a file of records is written in: comma-separated values (RFC 4180), or a JSON text a line. */
export type TransferFormat = 'csv' | 'jsonl';
