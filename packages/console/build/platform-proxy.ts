import { managementApi } from '@freehold/contract/management';
import type { Plugin, ProxyOptions } from 'vite';

interface Addresses {
  readonly management: string;
  readonly app: string;
}

/**
 * In development with hot reload: calls of the page go to a platform that runs beside it. The app gateway is reached
 * below `/app`, so the page needs no permission of another origin.
 */
export function platformProxy({ management, app }: Addresses): Plugin {
  const segments = new Set(Object.values(managementApi).map(({ path }) => path.split('/')[1] ?? ''));
  const pattern = `^/(${[...segments].map((segment) => segment.replaceAll('.', '\\.')).join('|')})(/|\\?|$)`;
  return {
    name: 'platform-proxy',
    apply: 'serve',
    config: () => ({
      server: { proxy: { [pattern]: asOwnPage(management), '^/app/': { target: app, changeOrigin: true } } },
    }),
    transformIndexHtml: (html) => html.replaceAll('__APP_URL__', '/').replaceAll('__BASE__', '/'),
  };
}

/** The gateway takes changes by cookie only from a page of its own origin, which the page becomes by its platform. */
function asOwnPage(target: string): ProxyOptions {
  return {
    target,
    changeOrigin: true,
    configure: (proxy) => {
      proxy.on('proxyReq', (request, { headers }) => {
        if (headers.origin === `http://${headers.host}`) request.setHeader('origin', target);
      });
    },
  };
}
