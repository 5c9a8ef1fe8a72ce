import { Link } from '@tanstack/react-router';
import { CopyId } from '../../kit/index.ts';

/** The number of an asset, which can be copied, with a link to its page. */
export function AssetLink({ assetNum }: { assetNum: string }) {
  return (
    <CopyId id={assetNum}>
      <Link to="/assets/$assetNum" params={{ assetNum }}>
        {assetNum}
      </Link>
    </CopyId>
  );
}
