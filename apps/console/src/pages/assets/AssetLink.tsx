import { Link } from '@tanstack/react-router';
import { CopyId } from '../../kit/index.ts';

/** An asset number that links to its page and can be copied. */
export function AssetLink({ assetNum }: { assetNum: string }) {
  return (
    <CopyId id={assetNum}>
      <Link to="/assets/$assetNum" params={{ assetNum }}>
        {assetNum}
      </Link>
    </CopyId>
  );
}
