import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Plugin } from 'vite';

const compress = promisify(brotliCompress);
const TEXT = /\.(?:js|css|svg|json)$/;

/** Puts a brotli file beside each text file, so that the server compresses nothing while it serves. */
export function brotliFiles(): Plugin {
  return {
    name: 'lockstep-brotli',
    async generateBundle(_options, bundle) {
      await Promise.all(
        Object.values(bundle)
          .filter(({ fileName }) => TEXT.test(fileName))
          .map(async (file) => {
            const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source);
            const source = await compress(bytes, {
              params: {
                [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
                [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
              },
            });
            this.emitFile({ type: 'asset', fileName: `${file.fileName}.br`, source });
          }),
      );
    },
  };
}
