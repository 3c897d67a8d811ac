/** Draws the blocks of a message or a view, each by its type. */
import type { ActionsBlock, MrkdwnElement } from '@slack/types';
import { Component, type ComponentChildren } from 'preact';
import type { UiBlock } from '../../slack/ui-types.ts';
import { Picture } from '../elements/image.tsx';
import { Markdown } from '../text/markdown.tsx';
import { Link, PlainText } from '../text/mrkdwn.tsx';
import { RichText } from '../text/rich-text.tsx';
import { Alert } from './alert.tsx';
import { CardView, Carousel, Container, Plan, TaskCard } from './card.tsx';
import { Chart } from './chart.tsx';
import { DataTable } from './data-table.tsx';
import { type BlockOf, type DrawnBlock, drawn } from './kit.ts';
import { Actions, Context, Input, Section } from './section.tsx';
import { Table } from './table.tsx';
import { Text } from './text.tsx';
import { Unsupported } from './unsupported.tsx';

/** The blocks one under the other. */
export function Blocks({ blocks }: { blocks: UiBlock[] }) {
  return (
    <div class="blocks">
      {blocks.map((block, index) => (
        <Guarded key={block.block_id ?? index} block={block} />
      ))}
    </div>
  );
}

/** One block that cannot be drawn must not take the page with it. */
class Guarded extends Component<{ block: UiBlock }, { failed: boolean }> {
  override state = { failed: false };

  override componentDidCatch(error: unknown): void {
    console.error('A block could not be drawn', error, this.props.block);
    this.setState({ failed: true });
  }

  override componentDidUpdate(before: { block: UiBlock }): void {
    if (this.state.failed && before.block !== this.props.block) this.setState({ failed: false });
  }

  override render() {
    const { block } = this.props;
    return this.state.failed ? (
      <Unsupported what="block" type={block.type} content={block} />
    ) : (
      <Block block={drawn(block)} />
    );
  }
}

/** How each type of block is drawn. */
const DRAWINGS: { [Type in DrawnBlock['type']]?: (block: BlockOf<Type>) => ComponentChildren } = {
  section: (block) => <Section block={block} />,
  header: (block) => (
    <h3 class="block header">
      <PlainText text={block.text.text} emoji={block.text.emoji} />
    </h3>
  ),
  divider: () => <hr class="block divider" />,
  context: (block) => <Context block={block} />,
  actions: (block) => <Actions block={block} />,
  context_actions: (block) => <Actions block={block as unknown as ActionsBlock} />,
  input: (block) => <Input block={block} />,
  image: (block) => (
    <figure class="block image">
      {block.title ? (
        <figcaption>
          <PlainText text={block.title.text} />
        </figcaption>
      ) : null}
      <Picture image={block} />
    </figure>
  ),
  rich_text: (block) => (
    <div class="block text">
      <RichText block={block} />
    </div>
  ),
  markdown: (block) => (
    <div class="block text">
      <Markdown text={block.text} />
    </div>
  ),
  table: (block) => <Table block={block} />,
  data_table: (block) => <DataTable block={block} />,
  data_visualization: (block) => <Chart block={block} />,
  alert: (block) => <Alert level={block.level ?? 'default'}>{<Text text={block.text as MrkdwnElement} />}</Alert>,
  card: (block) => <CardView block={block} />,
  carousel: (block) => <Carousel block={block} />,
  container: (block) => (
    <Container block={block}>
      <Blocks blocks={block.child_blocks as UiBlock[]} />
    </Container>
  ),
  task_card: (block) => <TaskCard block={block} />,
  plan: (block) => <Plan block={block} />,
  video: (block) => (
    <div class="block text">
      <Link url={block.title_url ?? block.video_url}>{block.title.text}</Link>
    </div>
  ),
};

function Block({ block }: { block: DrawnBlock }): ComponentChildren {
  const draw = DRAWINGS[block.type] as ((block: DrawnBlock) => ComponentChildren) | undefined;
  return draw ? draw(block) : <Unsupported what="block" type={block.type} content={block} />;
}
