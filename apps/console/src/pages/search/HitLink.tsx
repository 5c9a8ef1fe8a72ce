import type { SearchHit } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';

/** A link to the page of what was found. */
export function HitLink({ hit: { kind, id, name } }: { hit: SearchHit }) {
  switch (kind) {
    case 'order':
      return (
        <Link to="/orders/$orderId" params={{ orderId: id }}>
          {name}
        </Link>
      );
    case 'batch':
      return (
        <Link to="/batches/$batchId" params={{ batchId: id }}>
          {name}
        </Link>
      );
    case 'asset':
      return (
        <Link to="/assets/$assetNum" params={{ assetNum: id }}>
          {name}
        </Link>
      );
    case 'application':
      return (
        <Link to="/applications/$appKey" params={{ appKey: id }}>
          {name}
        </Link>
      );
    case 'enterprise':
    case 'customer':
      return (
        <Link to="/enterprises/$enterpriseGlobalId" params={{ enterpriseGlobalId: id }}>
          {name}
        </Link>
      );
  }
}
