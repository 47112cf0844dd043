import { holdWork } from './hold-work.ts';

await holdWork(['management']);
