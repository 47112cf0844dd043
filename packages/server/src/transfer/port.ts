/** Imports and exports of records. */

export type { Import } from './import-records.ts';
export { type TransferRouteDeps, transferRoutes } from './routes.ts';
export type { TransferFormat } from './transfer-format.ts';
