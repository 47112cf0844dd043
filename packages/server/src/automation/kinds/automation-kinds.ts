import type { ConfigKind } from '../../promotion/port.ts';
import { crewKind } from './crew.ts';
import { eventKind } from './event.ts';
import { logicBlockKind } from './logicblock.ts';

/** The kinds of config items whose contents automation owns. */
export const automationKinds: readonly ConfigKind[] = [logicBlockKind, eventKind, crewKind];
