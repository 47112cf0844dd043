/** Imports and exports of records. */

export { exportRecords } from './export-records.ts';
export { type Import, importRecords } from './import-records.ts';
export { type TransferRouteDeps, transferRoutes } from './routes.ts';
export type { TransferFormat } from './transfer-format.ts';
