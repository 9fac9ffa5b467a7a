"""The typed model of a deck: what the parser hands to the solver.

    from gsolve.parser.model import Joint, Model

Everything here is already converted to the deck's working units, every reference to a node is resolved to a
row of `Nodes` (0-based; -1 where a node is absent), and every reference to a function, skew or sensor is an
id that exists in the dictionaries of `Model` (0 = none). Nothing here knows columns or text; `Where` leads
back to the text for messages.

common : units, nodes, axes, functions, sensors, and what every block has
bodies : masses, elements, rigid bodies, ties
joints : springs, gear joints, joints, drives, couplers
conditions : boundary conditions, imposed motions, initial velocities, gravity, loads
contact : shapes, meshes, interfaces and their laws, rigid walls
sensors : sensors on values, and sensors made of others
run : histories asked for, run control, and `Model`, which holds it all

These modules import each other in this order only; all others import what they need from the package itself.

joint_types : the types of /JOINT in one table; it imports none of the others and is imported under its own name
"""

from .bodies import AddedMass, DirectionalTie, ElementBlock, MultiPointConstraint, RigidBody, RigidTie, VelocityLink
from .common import Direction, Entity, Floats, Function, Ints, Nodes, Sensor, Skew, Units
from .conditions import BoundaryCondition, ConcentratedLoad, Gravity, ImposedMotion, InitialVelocity
from .contact import (
    ContactInterface,
    CoulombFriction,
    ElementFaces,
    ForceCurveInterface,
    Master,
    Mesh,
    MeshFile,
    NormalLaw,
    PlaneCurve,
    RigidWall,
    Shape,
    ShapeKind,
    Surface,
    UserRoutine,
    meshes_of,
    shapes_of,
    sides_of,
)
from .joints import Coupler, Drive, GearJoint, Joint, JointForce, Spring, SpringDof, SpringProperty
from .run import Engine, HistoryRequest, Model
from .sensors import AnySensor, LogicSensor, ValueSensor, sensors_in_order

__all__ = [
    "AddedMass",
    "AnySensor",
    "BoundaryCondition",
    "ConcentratedLoad",
    "ContactInterface",
    "CoulombFriction",
    "Coupler",
    "Direction",
    "DirectionalTie",
    "Drive",
    "ElementBlock",
    "ElementFaces",
    "Engine",
    "Entity",
    "Floats",
    "ForceCurveInterface",
    "Function",
    "GearJoint",
    "Gravity",
    "HistoryRequest",
    "ImposedMotion",
    "InitialVelocity",
    "Ints",
    "Joint",
    "JointForce",
    "LogicSensor",
    "Master",
    "Mesh",
    "MeshFile",
    "Model",
    "MultiPointConstraint",
    "Nodes",
    "NormalLaw",
    "PlaneCurve",
    "RigidBody",
    "RigidTie",
    "RigidWall",
    "Sensor",
    "Shape",
    "ShapeKind",
    "Skew",
    "Spring",
    "SpringDof",
    "SpringProperty",
    "Surface",
    "Units",
    "UserRoutine",
    "ValueSensor",
    "VelocityLink",
    "meshes_of",
    "sensors_in_order",
    "shapes_of",
    "sides_of",
]
