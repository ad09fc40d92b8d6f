using System;
using Text = System.Text;

namespace Company
{
    class Server<T> : Base where T : class
    {
        int size;
        public Color Color { get; set; }

        public Server(int size) { this.size = size; }

        public R Run<R>(T item, Func<T, R> map)
        {
            var count = size + item.Size;
            foreach (var entry in item.Entries) { count += entry.size; }
            for (int i = 0; i < count; i++) { Use(i); }
            Func<int, int> f = x => x + count;
            Func<int, int, int> g = (a, b) => a + b + size;
            if (item is Point { X: 1 } point && point.X > 0) { Use(point); }
            if (int.TryParse("1", out var parsed)) { Use(parsed, named: count); }
            try { } catch (Exception error) { throw error; }
            using var reader = Open();
            int Local(int size) => size;
            var made = new Point { X = count, Y = Local(1) };
            var (left, right) = Split();
            var q = from row in item.Rows where row.Size > size select row;
            var copy = made with { X = left };
            switch (item) { case string text: Use(text); break; }
            goto done;
            done:
            return map(item);
        }

        int this[int index] => index + size;
    }

    enum Color { Red, Green = Red }

    record Point(int X, int Y) { int Sum() => X + Y; }
}
