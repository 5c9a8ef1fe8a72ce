import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
const TEXT = /^files\/.*\.(?:js|css|svg|json)$/;

/**
 * Writes a brotli and a gzip file beside each text file, so that the service need not compress. Browsers accept brotli
 * only over TLS and from localhost.
 */
export function compressedFiles(): Plugin {
  return {
    name: 'lockstep-compressed-files',
    // Other plugins change the bundle until it is written.
    async writeBundle({ dir = '' }, bundle) {
      const files = Object.keys(bundle).filter((fileName) => TEXT.test(fileName));
      await Promise.all(files.map((fileName) => compressFile(join(dir, fileName))));
    },
  };
}

async function compressFile(path: string): Promise<void> {
  const bytes = await readFile(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const [brotli, gzipped] = await Promise.all([toBrotli(bytes, { params }), toGzip(bytes, { level: 9 })]);
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipped)]);
}
