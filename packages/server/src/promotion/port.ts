/** Configuration goes from test to production: compared, published, activated all at once, and taken back. */
export { archiveBytesMax } from './archive/config-archive.ts';
export { refuseRemoval } from './checks/refuse-removal.ts';
export { type ConfigItems, createConfigItems } from './config-items.ts';
export { createConfigKinds } from './config-kinds.ts';
export { createPromotion, type Promotion } from './promotion.ts';
