using System;
using Text = System.Text;

namespace Company.Net
{
    /// <summary>A server.</summary>
    /// <remarks>More.</remarks>
    [Serializable]
    public abstract partial class Server<T> : Base<T>, IDisposable, Company.IThing where T : class
    {
        public const int Max = 10, Min = 1;
        private readonly string _name = "x";
        public event EventHandler Started, Stopped;
        public event EventHandler Custom { add { } remove { } }
        public delegate void Handler(object sender, int code);

        static Server() { }
        public Server(string name) : base(name) { _name = name; }
        ~Server() { }

        /// <summary>The name.</summary>
        public string Name { get; private set; } = "n";
        public int Size => 3;
        public int this[int index] { get { return index; } set { } }

        public void Run(int count)
        {
            int local = 0;
            void Inner(int x) { }
            Action<int> lambda = y => { int z = y; };
            Inner(local);
        }

        protected abstract Task<int> RunAsync();
        public static Server<T> operator +(Server<T> a, Server<T> b) => a;
        public static implicit operator int(Server<T> s) => 0;
        void IDisposable.Dispose() { }
        public TResult Map<TResult>(Func<T, TResult> map) => map(default);

        private class Nested { internal int depth; }
    }

    public enum Color : byte { Red, [Obsolete] Green = 2 }

    public interface IThing : IComparable<int>
    {
        int Id { get; }
        void Do();
        void Default() { }
    }

    public struct Point
    {
        public int X, Y;
        public Point(int x, int y) { X = x; Y = y; }
    }

    namespace Inner
    {
        internal static class Extensions
        {
            public static int Double(this int value) => value * 2;
        }
    }
}
