/** Explains why a process cannot listen, by Node.js's error codes. */
const FAULTS: Record<string, (host: string, port: number, portVariable: string) => string> = {
  EADDRINUSE: (host, port, variable) => `${host}:${port} is in use. Set ${variable} to another port.`,
  EACCES: (_, port, variable) => `Port ${port} requires privileges. Set ${variable} to 1024 or more.`,
  EADDRNOTAVAIL: (host) => `${host} is not an address of this machine. Set HOST to one that is, or to 0.0.0.0 for all.`,
  ENOTFOUND: (host) => `HOST is ${host}, which DNS cannot resolve. Set it to an address, such as 127.0.0.1.`,
  EAI_AGAIN: (host) => `HOST is ${host}, but DNS does not respond. Set it to an address, such as 127.0.0.1.`,
};

/**
 * Returns an Error that says in one line why a process cannot listen and which variable to change. Returns any other
 * error unchanged.
 */
export function explainListenFault(error: unknown, host: string, port: number, portVariable = 'PORT'): unknown {
  const explain = FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
  return explain === undefined ? error : new Error(explain(host, port, portVariable), { cause: error });
}
