import { itemFlows } from './flows/item-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(itemFlows);
