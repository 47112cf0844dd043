declare module 'virtual:routes' {
  type Table = Readonly<Record<string, readonly [method: string, path: string]>>;
  export const managementRoutes: Table;
  export const appRoutes: Table;
}
