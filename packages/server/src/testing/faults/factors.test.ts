import { factorFlows } from './flows/factor-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(factorFlows);
