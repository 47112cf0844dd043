/** What an operator loads into the platform to have its spans: the SDK, as `docs/operate.md` has it. */
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';

interface Sdk {
  readonly NodeTracerProvider: new (options: { readonly spanProcessors: readonly object[] }) => { register(): void };
  readonly SimpleSpanProcessor: new (exporter: object) => object;
}

// An operator installs the SDK beside the platform, where it finds the platform's copy of the API.
const api = import.meta.resolve('@opentelemetry/api');
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@opentelemetry/api' ? { url: api, shortCircuit: true } : next(specifier, context),
});

const outside = createRequire(join(import.meta.dirname, '../../../tools/outside/package.json'));
const { NodeTracerProvider, SimpleSpanProcessor } = outside('@opentelemetry/sdk-trace-node') as Sdk;
const { OTLPTraceExporter } = outside('@opentelemetry/exporter-trace-otlp-http') as {
  readonly OTLPTraceExporter: new () => object;
};

new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())] }).register();
