import type { Clock } from '../../lib/clock.ts';
import { storeOnEngine } from '../engine.ts';
import type { OpenedStore } from '../port.ts';
import { MemoryEngine } from './memory-engine.ts';

/** A store that lives as long as the process. */
export function openMemory({ clock }: { readonly clock: Clock }): OpenedStore {
  return storeOnEngine(new MemoryEngine(), clock);
}
