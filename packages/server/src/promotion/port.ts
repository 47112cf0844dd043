/** Configuration goes from test to production: compared, published, activated all at once, and taken back. */
export { archiveBytesMax } from './archive/config-archive.ts';
export type { ConfigItems } from './config-items.ts';
export { traitsOf } from './config-kinds.ts';
export { openPromotion, type PromotionModule } from './open-promotion.ts';
export type { Promotion } from './promotion.ts';
export { publishMistakes } from './read-requests.ts';
