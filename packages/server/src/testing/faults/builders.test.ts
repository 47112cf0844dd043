import { builderFlows } from './builder-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(builderFlows);
