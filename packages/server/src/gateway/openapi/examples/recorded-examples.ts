import { readFileSync } from 'node:fs';
import type { OperationExample } from '../operation.ts';

/** By method and path, as the contract has them. */
export type Examples = Readonly<Record<string, OperationExample>>;

/** Of the routes that the contract describes, from calls of the tests: `npm run record-examples` writes them. */
export function recordedExamples(gateway: 'app' | 'management'): Examples {
  return JSON.parse(readFileSync(files[gateway], 'utf8'));
}

const files = {
  app: new URL('./app-examples.json', import.meta.url),
  management: new URL('./management-examples.json', import.meta.url),
};
