import type { Subject } from './conformance/bench.ts';
import { withNeighbour } from './conformance/neighbour.ts';
import { storeConformance } from './conformance/run-conformance.ts';
import { openMemory } from './open-memory.ts';

const memory: Subject = {
  isDurable: false,
  async open(clock) {
    const opened = openMemory({ clock });
    return {
      opened,
      reopen: async () => Promise.reject(new Error('memory keeps nothing')),
      dispose: () => opened.store.close(),
    };
  },
};

storeConformance('memory', memory);
storeConformance('memory, next door to another scope', withNeighbour(memory));
