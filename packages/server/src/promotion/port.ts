/** Configuration goes from test to production: compared, published, activated all at once, and taken back. */
export { archiveBytesMax } from './archive/config-archive.ts';
export type { ConfigItems } from './config-items.ts';
export type { ConfigKind, ConfigKinds } from './config-kind.ts';
export { kindsOf } from './config-kinds.ts';
export type { BlockHook, BlockSchedule, BlockStarts, HmacForm } from './kinds/block-starts.ts';
export { inputType, stepType, withError } from './kinds/block-templates.ts';
export { crewKind } from './kinds/crew.ts';
export { entityKind } from './kinds/entity.ts';
export { eventKind } from './kinds/events/event.ts';
export type { EventContent } from './kinds/events/event-content.ts';
export { type EventDestination, eventIn } from './kinds/events/event-destinations.ts';
export { eventScope, eventTemplates } from './kinds/events/event-expressions.ts';
export { readInputSchema } from './kinds/input-schema.ts';
export { calledBlocks, type LogicBlockContent, logicBlockKind } from './kinds/logicblock.ts';
export {
  type Comparison,
  catchesErrors,
  type LogicStep,
  outsideOfTransactions,
  placedSteps,
  type RaisedStatus,
} from './kinds/logicblock-steps.ts';
export { literalAddress } from './kinds/outside-steps.ts';
export type { RecordTypes } from './kinds/record-types.ts';
export { settingsKind } from './kinds/settings.ts';
export { openPromotion, type PromotionModule } from './open-promotion.ts';
export type { Promotion } from './promotion.ts';
export { publishMistakes } from './read-requests.ts';
