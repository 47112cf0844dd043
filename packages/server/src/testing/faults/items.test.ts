import { itemFlows } from './item-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(itemFlows);
