/**
 * Allocates bytes that the operating system provides when they are written to, and gets back when they are freed.
 * Buffer's own come from a heap that keeps what is freed: megabytes of many calls and threads leave holes there, and
 * the process stays as large as it ever was. Resizable memory lies outside of that heap.
 */
export function allocateLarge(length: number): Buffer {
  return Buffer.from(new ArrayBuffer(length, { maxByteLength: length }), 0, length);
}

/** Gives back the memory of bytes that nobody reads any more: now, not when garbage is collected next. */
export function freeBytes({ buffer }: Uint8Array): void {
  (buffer as ArrayBuffer).transfer(0);
}
