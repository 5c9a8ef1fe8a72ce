import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
const TEXT = /\.(?:js|css|svg|json)$/;

/**
 * Puts a brotli and a gzip file beside each text file, so that the server compresses nothing while it serves. Browsers take
 * brotli only over TLS and from this machine.
 */
export function compressedFiles(): Plugin {
  return {
    name: 'lockstep-compressed-files',
    async generateBundle(_options, bundle) {
      await Promise.all(
        Object.values(bundle)
          .filter(({ fileName }) => TEXT.test(fileName))
          .map(async (file) => {
            const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source);
            const [brotli, gzipped] = await Promise.all([compressWell(bytes), toGzip(bytes, { level: 9 })]);
            this.emitFile({ type: 'asset', fileName: `${file.fileName}.br`, source: brotli });
            this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source: gzipped });
          }),
      );
    },
  };
}

function compressWell(bytes: Buffer): Promise<Buffer> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return toBrotli(bytes, { params });
}
