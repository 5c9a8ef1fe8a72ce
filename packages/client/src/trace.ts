/** The parts of OpenTelemetry's API that the client uses, where an application has registered it. */
interface Telemetry {
  context?: { active(): unknown };
  propagation?: { inject(context: unknown, carrier: unknown, setter: { set: typeof setHeader }): void };
}

const setHeader = (headers: Record<string, string>, name: string, value: string) => {
  headers[name] = value;
};

/** Returns the headers that continue the caller's trace (W3C Trace Context); none without a tracer. */
export function injectTrace(): Record<string, string> {
  // Where @opentelemetry/api 1.x keeps what is registered, whichever copy of it is loaded.
  const telemetry = (globalThis as { [key: symbol]: Telemetry | undefined })[Symbol.for('opentelemetry.js.api.1')];
  const headers: Record<string, string> = {};
  const active = telemetry?.context?.active();
  if (active !== undefined) telemetry?.propagation?.inject(active, headers, { set: setHeader });
  return headers;
}
