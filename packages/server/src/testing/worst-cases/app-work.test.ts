import { holdWork } from './hold-work.ts';

await holdWork(['app', 'metrics']);
