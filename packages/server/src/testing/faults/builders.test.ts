import { builderFlows } from './flows/builder-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(builderFlows);
