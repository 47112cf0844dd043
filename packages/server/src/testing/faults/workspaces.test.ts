import { testFlows } from './test-flows.ts';
import { workspaceFlows } from './workspace-flows.ts';

await testFlows(workspaceFlows);
